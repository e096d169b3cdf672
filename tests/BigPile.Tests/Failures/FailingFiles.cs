using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Tests.Failures;

/// <summary>How an operation fails.</summary>
public enum FailureMode
{
    /// <summary>It is not done.</summary>
    NotDone,

    /// <summary>Half of a write is done; any other operation is not done.</summary>
    HalfDone,

    /// <summary>It is done, and is said not to be.</summary>
    Done,

    /// <summary>It is not done, and neither is any later one.</summary>
    AllLater,
}

/// <summary>What the system says.</summary>
public enum FailureCause
{
    /// <summary>EIO.</summary>
    Device,

    /// <summary>ENOSPC.</summary>
    DiskFull,

    /// <summary>EACCES.</summary>
    Denied,
}

/// <summary>Lets the n-th file operation of a pile fail.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class FailingFiles : IFileHook
{
    private readonly Lock _lock = new();
    private readonly List<string> _operations = [];
    private bool _isArmed;
    private int _position; // 0: nothing fails
    private FailureMode _mode;
    private FailureCause _cause;
    private bool _isPending; // the operation that runs is the one

    /// <summary>Which operation failed; <see langword="null"/> when none did.</summary>
    internal string? Failed { get; private set; }

    /// <summary>The operations from <see cref="Arm"/> to <see cref="Disarm"/>: what was done to which file.</summary>
    internal IReadOnlyList<string> Operations => _operations;

    internal static bool IsWrite(string operation) => operation.StartsWith($"{FileOperation.Write} ", StringComparison.Ordinal);

    /// <summary>Lets an operation fail, or none, and keeps them all.</summary>
    internal void Arm(FailurePlan? plan)
    {
        lock (_lock)
        {
            (_isArmed, _isPending, Failed) = (true, false, null);
            (_position, _mode, _cause) = plan == null ? default : (plan.Position, plan.Mode, plan.Cause);
            _operations.Clear();
        }
    }

    internal void Disarm()
    {
        lock (_lock)
            (_isArmed, _position, _isPending) = (false, 0, false);
    }

    public void Before(FileOperation operation, string path)
    {
        lock (_lock)
        {
            if (!_isArmed)
                return;
            string name = $"{operation} {NameOf(path)}";
            _operations.Add(name);
            if (_position != 0 && _operations.Count > _position && _mode == FailureMode.AllLater)
                throw Error(path);
            if (_operations.Count != _position)
                return;
            Failed = name;
            _isPending = _mode == FailureMode.Done || (_mode == FailureMode.HalfDone && operation == FileOperation.Write);
            if (!_isPending)
                throw Error(path);
        }
    }

    public int Tear(string path, int lengthBytes)
    {
        lock (_lock)
            return _isPending && _mode == FailureMode.HalfDone ? lengthBytes / 2 : lengthBytes;
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

    private static string NameOf(string path)
    {
        string name = Path.GetFileName(path);
        return name.StartsWith("segment-", StringComparison.Ordinal) ? "segment" : name;
    }

    private Exception Error(string path) => _cause switch
    {
        FailureCause.Device => new IOException($"'{path}': input/output error.", 5),
        FailureCause.DiskFull => new IOException($"'{path}': no space left on device.", 28),
        _ => new UnauthorizedAccessException($"'{path}': permission denied."),
    };
}
