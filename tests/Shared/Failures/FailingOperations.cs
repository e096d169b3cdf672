using System;
using System.IO;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Testing;

/// <summary>Lets the n-th file operation fail, or all of one sort; before it is done, half way, or when it was done.</summary>
internal sealed class FailingOperations : IFileHook
{
    private readonly Lock _lock = new();
    private int _left; // 0: nothing fails
    private bool _isHalfDone;
    private bool _isPending;

    /// <summary>What fails always, by this exception.</summary>
    internal Func<FileOperation, Exception?>? Always { get; set; }

    /// <summary>What the armed operation fails by; an input/output error, if nothing else is said.</summary>
    internal Func<string, Exception> Error { get; set; } = static path => new IOException($"'{path}': input/output error.", 5);

    /// <summary>Which operations are counted; all, if nothing else is said.</summary>
    internal Predicate<FileOperation> Counts { get; set; } = static _ => true;

    /// <summary>The operation that failed.</summary>
    internal FileOperation? Failed { get; private set; }

    internal void Arm(int position, bool isHalfDone)
    {
        lock (_lock)
            (_left, _isHalfDone, _isPending, Failed) = (position, isHalfDone, false, null);
    }

    internal void Disarm()
    {
        lock (_lock)
            (_left, _isPending) = (0, false);
    }

    public void Before(FileOperation operation, string path)
    {
        if (Always?.Invoke(operation) is { } always)
            throw always;
        lock (_lock)
        {
            if (_left == 0 || !Counts(operation) || --_left > 0)
                return;
            Failed = operation;
            _isPending = _isHalfDone;
            if (!_isPending)
                throw Error(path);
        }
    }

    public int Tear(string path, int lengthBytes)
    {
        lock (_lock)
            return _isPending ? lengthBytes / 2 : lengthBytes;
    }

    public void After(FileOperation operation, string path)
    {
        lock (_lock)
        {
            if (!_isPending)
                return;
            _isPending = false;
            throw Error(path);
        }
    }
}
