using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Feed;

/// <summary>Wakes readers that have read everything. Costs a writer one load while nobody waits.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class FeedSignal
{
    private readonly Lock _lock = new(); // guards _next
    private TaskCompletionSource? _next; // completes at the next change; null: nobody waits
    private int _isAwaited; // 1 while somebody waits; set under the lock, cleared by the writer that wakes

    /// <summary>A task that completes behind a change that the caller can't see yet. It looks once more, and then waits.</summary>
    internal Task Arm()
    {
        Task task;
        lock (_lock)
        {
            _next ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            task = _next.Task;
            Volatile.Write(ref _isAwaited, 1);
        }
        // A writer stores its word, and then loads the flag: it has loaded 0 before this, and the caller sees the word; or it wakes.
        Interlocked.MemoryBarrierProcessWide();
        return task;
    }

    /// <summary>Wakes those that wait, behind a change that they can see.</summary>
    internal void Raise()
    {
        if (Volatile.Read(ref _isAwaited) != 0)
            Wake();
    }

    private void Wake()
    {
        if (Interlocked.Exchange(ref _isAwaited, 0) == 0)
            return; // another thread wakes
        TaskCompletionSource? next;
        lock (_lock)
            (next, _next) = (_next, null);
        if (next != null) // on another thread: thousands may wait, and the caller holds a bucket's lock
            ThreadPool.UnsafeQueueUserWorkItem(static waiting => waiting.TrySetResult(), next, preferLocal: false);
    }
}
