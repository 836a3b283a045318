//! Which addresses are taken, by the library and by the program.

mod connecting;
mod program;
