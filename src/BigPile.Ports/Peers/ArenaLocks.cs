using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Memory;
using BigPile.Ports.Layout;

namespace BigPile.Ports.Peers;

/// <summary>The lock file of an arena: one byte for each process, and two for operations that one process does at a time.</summary>
/// <remarks>
/// The file is never removed: two files of one name would have two owners. A process that holds the control lock may be stopped for any
/// time, so every wait for it has a timeout. Thread safety: all members may be called concurrently; bytes of slots are locked and released
/// under the control lock.
/// </remarks>
internal sealed class ArenaLocks : IDisposable
{
    internal const string Suffix = ".lock";
    private const int ControlByte = ArenaShape.Processes;
    private const int MakingByte = ControlByte + 1;

    private readonly HeldFile _file;
    private readonly Lock _inProcess = new(); // the file's locks do not exclude threads that share the handle
    private readonly TimeSpan _timeout;
    private volatile bool _hasGivenUp;
    private ulong _taken; // a bit for each slot whose byte is locked here; under the control lock

    /// <summary>Opens the file, or creates it.</summary>
    /// <param name="directory">Its directory.</param>
    /// <param name="name">The arena's name.</param>
    /// <param name="timeout">How long <see cref="EnterControl"/> waits.</param>
    internal ArenaLocks(HeldDirectory directory, string name, TimeSpan timeout)
    {
        _timeout = timeout;
        ArenaFiles.RefuseLink(directory, name + Suffix);
        _file = directory.Open(name + Suffix, FileMode.OpenOrCreate, FileAccess.ReadWrite);
        OwnerOnly.Give(_file);
    }

    /// <summary>Whether this thread has the control lock, for assertions and tests.</summary>
    internal bool IsControlHeld => _inProcess.IsHeldByCurrentThread;

    /// <summary>The inode number of the file; 0 if the system has none.</summary>
    internal long FileNumber => (long)(FileStatus.Of(_file.Handle)?.Number ?? 0);

    /// <summary>Excludes all others that open, close, bind or clean up. The lock of a process that dies is released.</summary>
    /// <exception cref="IOException">Another process holds it, and makes no progress.</exception>
    internal Control EnterControl() => TryEnterControl(_hasGivenUp ? TimeSpan.Zero : _timeout, out Control control)
        ? control
        : throw HeldUp("opens, closes or cleans");

    /// <inheritdoc cref="EnterControl"/>
    /// <param name="timeout">How long to wait.</param>
    /// <param name="control">The lock.</param>
    /// <returns><see langword="false"/> if another process held it all the time.</returns>
    internal bool TryEnterControl(TimeSpan timeout, out Control control)
    {
        control = default;
        long start = Stopwatch.GetTimestamp();
        if (!_inProcess.TryEnter(timeout))
            return false;
        try
        {
            var wait = new SpinWait();
            while (!RangeLock.TryTake(_file.Handle, _file.Path, ControlByte))
            {
                if (Stopwatch.GetElapsedTime(start) >= timeout)
                    return false;
                wait.SpinOnce();
            }
            control = new Control(this);
            return true;
        }
        finally
        {
            if (!control.IsTaken)
                _inProcess.Exit();
        }
    }

    /// <summary>Makes all later waits for the control lock end at once: the arena is being closed, and others can clean up.</summary>
    internal void GiveUp() => _hasGivenUp = true;

    /// <summary>Excludes all others that create, map or remove the arena's file. To be taken before the control lock.</summary>
    /// <param name="progress">
    /// The progress of a process that is creating the file, which may take long: while it progresses, this waits.
    /// </param>
    /// <exception cref="IOException">Another process holds it, and makes no progress.</exception>
    internal Making EnterMaking(Func<long> progress)
    {
        long lastProgress = -1;
        long start = Stopwatch.GetTimestamp();
        var wait = new SpinWait();
        while (!RangeLock.TryTake(_file.Handle, _file.Path, MakingByte))
        {
            if (progress() is var now && now != lastProgress)
                (lastProgress, start) = (now, Stopwatch.GetTimestamp());
            if (Stopwatch.GetElapsedTime(start) >= _timeout)
                throw HeldUp("makes or maps");
            wait.SpinOnce();
        }
        return new Making(this);
    }

    /// <summary>Locks the byte of a slot, if it is free. Only its holder may change the slot's state.</summary>
    internal bool TryTakeLocked(int slot)
    {
        Debug.Assert(IsControlHeld, "Bytes of slots are locked under the control lock.");
        Debug.Assert(!HasTaken(slot), "A byte is locked once: releasing it would release it for both.");
        if (!RangeLock.TryTake(_file.Handle, _file.Path, slot))
            return false;
        _taken |= 1UL << slot;
        return true;
    }

    internal void ReleaseLocked(int slot)
    {
        Debug.Assert(IsControlHeld, "Bytes of slots are released under the control lock.");
        Debug.Assert(HasTaken(slot), "Only a byte that is locked here is released.");
        _taken &= ~(1UL << slot);
        RangeLock.Release(_file.Handle, slot);
    }

    /// <summary>Whether the byte of a slot is locked here, for assertions and tests. The caller holds the control lock.</summary>
    internal bool HasTaken(int slot) => (_taken & (1UL << slot)) != 0;

    /// <summary>Whether another process has the slot, or is cleaning it up.</summary>
    internal bool IsHeldByOther(int slot) => RangeLock.IsHeldByOther(_file.Handle, _file.Path, slot);

    public void Dispose() => _file.Dispose();

    /// <summary>Whether another process has the arena open.</summary>
    internal bool IsAnySlotHeldByOther()
    {
        for (int slot = 0; slot < ArenaShape.Processes; slot++)
        {
            if (IsHeldByOther(slot))
                return true;
        }
        return false;
    }

    private IOException HeldUp(string what) => new(
        $"A process that {what} the arena of '{_file.Path}' has held up others for {_timeout.TotalSeconds:0.##} s: is it stopped? Have it "
        + "go on, or end it.");

    private void ExitControl()
    {
        RangeLock.Release(_file.Handle, ControlByte);
        _inProcess.Exit();
    }

    /// <summary>Releases the control lock when it is disposed.</summary>
    internal readonly ref struct Control(ArenaLocks locks)
    {
        internal bool IsTaken => locks != null;

        public void Dispose() => locks.ExitControl();
    }

    /// <summary>Releases the creation lock when it is disposed.</summary>
    internal readonly ref struct Making(ArenaLocks locks)
    {
        public void Dispose() => RangeLock.Release(locks._file.Handle, MakingByte);
    }
}
