use std::thread;

pub(crate) type BoxedError = Box<dyn std::error::Error + Send + Sync>;

/// Runs on a separate thread, so that callers can be within a runtime or a panic that unwinds.
pub(crate) fn on_own_thread<T: Send>(
    work: impl Future<Output = Result<T, BoxedError>> + Send,
) -> Result<T, BoxedError> {
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(work)
        });
        worker
            .join()
            .unwrap_or_else(|_| Err("the administrating thread panicked".into()))
    })
}
