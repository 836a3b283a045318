//! Which processes, threads and tasks make which ids.

#[cfg(unix)]
mod forks;
mod scopes;
