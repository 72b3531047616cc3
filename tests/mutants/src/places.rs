//! Finds the places of a file that can be mutated.

use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, ReturnType, Stmt, UnOp};

/// A place in a file, and its text with a mutant that can be turned on.
pub struct Place {
    /// In bytes; empty if something is inserted.
    pub range: Range<usize>,
    pub line: usize,
    /// The text of that line.
    pub text: String,
    /// What is wrong, in words.
    pub fault: String,
    pub pieces: Vec<Piece>,
}

pub enum Piece {
    /// The expression that is true if the mutant is turned on.
    On,
    Text(String),
    /// The text in the source.
    Source(Range<usize>),
}

use Piece::{On, Source};

fn words(text: &str) -> Piece {
    Piece::Text(text.to_owned())
}

/// Returns the places of a file in their order.
pub fn find(text: &str) -> Vec<Place> {
    let mut finder = Finder { text, places: Vec::new() };
    finder.visit_file(&syn::parse_file(text).expect("Rust"));
    finder.places
}

struct Finder<'a> {
    text: &'a str,
    places: Vec<Place>,
}

fn range(node: &impl Spanned) -> Range<usize> {
    node.span().byte_range()
}

/// Of tests, or of what this build leaves out.
fn left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let condition = match &attribute.meta {
            syn::Meta::List(list) if list.path.is_ident("cfg") => list.tokens.to_string().replace(' ', ""),
            meta => return meta.path().is_ident("test"),
        };
        let others = ["test", "loom", "windows", "gevt_planted", "gevt_instrumented", "not(target_os"];
        others.iter().any(|other| condition.starts_with(other)) || condition == "not(unix)"
    })
}

/// Values that a function with this type can return instead.
fn defaults(output: &ReturnType) -> Vec<String> {
    let ReturnType::Type(_, kind) = output else { return vec![String::new()] };
    let name = tokens(kind);
    let inner = |outer: &str| name.strip_prefix(outer)?.strip_suffix('>').map(str::to_owned);
    let simple = |name: &str| match name {
        "()" => vec!["()"],
        "bool" => vec!["true", "false"],
        "gevt_status_t" => vec!["0"],
        "u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64" => vec!["0", "1"],
        "f32" | "f64" => vec!["0.0"],
        name if name.starts_with("Option<") => vec!["None"],
        _ => vec![],
    };
    match inner("Result<") {
        Some(inner) => simple(&inner).iter().map(|value| format!("Ok({value})")).collect(),
        None => simple(&name).into_iter().map(str::to_owned).collect(),
    }
}

fn tokens(node: &impl quote::ToTokens) -> String {
    node.to_token_stream().to_string().replace(' ', "")
}

impl Finder<'_> {
    fn add(&mut self, range: Range<usize>, fault: String, pieces: Vec<Piece>) {
        let line = self.text[..range.start].matches('\n').count() + 1;
        let text = self.text.lines().nth(line - 1).unwrap_or_default().trim().to_owned();
        self.places.push(Place { range, line, text, fault, pieces });
    }

    fn function<'ast>(&mut self, attributes: &[Attribute], signature: &syn::Signature, body: &'ast Block) {
        if left_out(attributes) {
            return;
        }
        let name = &signature.ident;
        let at = body.brace_token.span.open().byte_range().end;
        let own = self.text[at..body.brace_token.span.close().byte_range().start].trim();
        for value in defaults(&signature.output).into_iter().filter(|value| value != own) {
            let fault = format!("{name} returns {}", if value.is_empty() { "at once" } else { &value });
            self.add(at..at, fault, vec![words(" if "), On, words(&format!(" {{ return {value}; }}"))]);
        }
        self.visit_block(body);
    }

    fn either(&mut self, whole: &impl Spanned, fault: String, mutated: Vec<Piece>, original: Vec<Piece>) {
        let mut pieces = vec![words("(if "), On, words(" { ")];
        pieces.extend(mutated);
        pieces.push(words(" } else { "));
        pieces.extend(original);
        pieces.push(words(" })"));
        self.add(range(whole), fault, pieces);
    }

    fn binary(&mut self, whole: &syn::ExprBinary) {
        let operator = tokens(&whole.op);
        let others: &[&str] = match whole.op {
            BinOp::And(_) | BinOp::Or(_) => return self.logical(whole),
            BinOp::Eq(_) => &["!="],
            BinOp::Ne(_) => &["=="],
            BinOp::Lt(_) => &["<=", ">="],
            BinOp::Le(_) => &["<", ">"],
            BinOp::Gt(_) => &[">=", "<="],
            BinOp::Ge(_) => &[">", "<"],
            BinOp::Add(_) => &["-"],
            BinOp::Sub(_) => &["+"],
            BinOp::AddAssign(_) => &["-="],
            BinOp::SubAssign(_) => &["+="],
            BinOp::BitAnd(_) => &["|"],
            BinOp::BitOr(_) => &["&"],
            _ => &[],
        };
        for other in others {
            let (left, right) = (|| Source(range(&whole.left)), || Source(range(&whole.right)));
            let side = |operator: &str| vec![left(), words(&format!(" {operator} (")), right(), words(")")];
            self.either(whole, format!("{operator} is {other}"), side(other), side(&operator));
        }
    }

    // Without writing an operand twice: a or b is not (not a and not b).
    fn logical(&mut self, whole: &syn::ExprBinary) {
        let is_let = |operand: &Expr| tokens(operand).contains("let");
        if is_let(&whole.left) || is_let(&whole.right) {
            return;
        }
        let operator = tokens(&whole.op);
        let other = if operator == "&&" { "||" } else { "&&" };
        let mut pieces = vec![words("("), On, words(" ^ (("), On, words(" ^ ("), Source(range(&whole.left))];
        pieces.extend([
            words(&format!(")) {operator} (")),
            On,
            words(" ^ ("),
            Source(range(&whole.right)),
            words("))))"),
        ]);
        self.add(range(whole), format!("{operator} is {other}"), pieces);
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
        self.binary(node);
        visit::visit_expr_binary(self, node);
    }

    fn visit_expr_unary(&mut self, node: &'ast syn::ExprUnary) {
        if matches!(node.op, UnOp::Not(_) | UnOp::Neg(_)) && !matches!(*node.expr, Expr::Lit(_)) {
            let (operator, operand) = (tokens(&node.op), || Source(range(&node.expr)));
            self.either(node, format!("without {operator}"), vec![operand()], vec![words(&operator), operand()]);
        }
        visit::visit_expr_unary(self, node);
    }

    fn visit_stmt(&mut self, node: &'ast Stmt) {
        if let Stmt::Expr(expression, Some(_)) = node {
            let call = if let Expr::Try(tried) = expression { &*tried.expr } else { expression };
            if let Expr::MethodCall(call) = call {
                let pieces = vec![words("if !"), On, words(" { "), Source(range(node)), words(" }")];
                self.add(range(node), format!("without the call of {}", call.method), pieces);
            }
        }
        visit::visit_stmt(self, node);
    }

    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        self.function(&node.attrs, &node.sig, &node.block);
    }

    fn visit_impl_item_fn(&mut self, node: &'ast syn::ImplItemFn) {
        self.function(&node.attrs, &node.sig, &node.block);
    }

    fn visit_trait_item_fn(&mut self, node: &'ast syn::TraitItemFn) {
        if let Some(body) = &node.default {
            self.function(&node.attrs, &node.sig, body);
        }
    }

    fn visit_item_impl(&mut self, node: &'ast syn::ItemImpl) {
        let formats = node.trait_.as_ref().is_some_and(|(_, name, _)| {
            ["Debug", "Display", "Error"].contains(&&*name.segments.last().unwrap().ident.to_string())
        });
        if !formats && !left_out(&node.attrs) {
            visit::visit_item_impl(self, node);
        }
    }

    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        if !left_out(&node.attrs) {
            visit::visit_item_mod(self, node);
        }
    }

    // Skips text that is not run, and code whose promises a fault would break.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_expr_repeat(&mut self, node: &'ast syn::ExprRepeat) {
        self.visit_expr(&node.expr);
    }
    fn visit_expr_unsafe(&mut self, _: &'ast syn::ExprUnsafe) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
}
