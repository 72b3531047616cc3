//! The kinds of objects that handles name.

/// The kind of object that a handle names. The value is the handle's top byte, which no user-space address has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// An event.
    Event = 0xE1,
    /// A stream.
    Stream = 0xE2,
    /// A context.
    Context = 0xE3,
    /// A graph, of the CUDA that needs no GPU.
    Graph = 0xE4,
    /// A graph that can be launched, of the CUDA that needs no GPU.
    ExecutableGraph = 0xE5,
    /// A node of a graph.
    GraphNode = 0xE6,
    /// A memory pool.
    MemoryPool = 0xE7,
    /// A program's object that graphs hold a reference to.
    UserObject = 0xE8,
    /// A function that a device runs.
    Kernel = 0xE9,
    /// A module or library of such functions.
    Module = 0xEA,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Kind::Event => "event",
            Kind::Stream => "stream",
            Kind::Context => "context",
            Kind::Graph => "graph",
            Kind::ExecutableGraph => "executable graph",
            Kind::GraphNode => "graph node",
            Kind::MemoryPool => "memory pool",
            Kind::UserObject => "user object",
            Kind::Kernel => "kernel",
            Kind::Module => "module",
        })
    }
}
