//! The backends by their numbers, and the default one.

use crate::backend::{BackendKind, PROVIDERS, Provider};
use crate::error::{Error, Result};
use crate::log::{self, Level};
use once_cell::sync::OnceCell;

/// The backend of that number.
pub(super) fn provider(kind: BackendKind) -> Result<&'static Provider> {
    if kind == BackendKind::AUTO {
        return default_provider();
    }
    PROVIDERS.iter().find(|provider| provider.kind == kind).ok_or(Error::BadArgument("backend"))
}

/// The default backend: that of GEVT_BACKEND, else the first that has a device.
pub(super) fn default_provider() -> Result<&'static Provider> {
    static DEFAULT: OnceCell<&'static Provider> = OnceCell::new();
    if let Some(provider) = DEFAULT.get() {
        return Ok(*provider);
    }
    let mut why = None;
    let choose = || {
        let (provider, reason) = choose_provider(&std::env::var("GEVT_BACKEND").unwrap_or_default())?;
        why = Some(reason);
        Ok(provider)
    };
    let provider = *DEFAULT.get_or_try_init(choose)?;
    // Of several threads at once, the one that chose writes the message.
    if let Some(why) = why {
        log::tell(Level::Info, format_args!("the default backend is {}: {why}", provider.title));
    }
    Ok(provider)
}

/// The default backend, and why it is that.
fn choose_provider(variable: &str) -> Result<(&'static Provider, String)> {
    if !matches!(variable, "" | "auto") {
        let named = PROVIDERS.iter().find(|provider| provider.name == variable);
        let provider = named.ok_or(Error::BadArgument("GEVT_BACKEND"))?;
        return Ok((provider, "GEVT_BACKEND says so".into()));
    }
    let mut refused = None;
    for provider in &PROVIDERS {
        match (provider.device_count)() {
            Ok(devices) => {
                return Ok((provider, refused.unwrap_or_else(|| format!("the driver has {devices} devices"))));
            }
            Err(reason) => refused = Some(reason.to_string()),
        }
    }
    Err(Error::Internal)
}
