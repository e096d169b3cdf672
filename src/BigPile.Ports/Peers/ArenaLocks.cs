using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Memory;
using BigPile.Ports.Layout;

namespace BigPile.Ports.Peers;

/// <summary>The lock file of an arena: a byte for each process, and two for what is done by one process at a time.</summary>
/// <remarks>
/// The file is never removed: of two that had the name, each would have an owner. Whoever has the control lock may be stopped for as long
/// as somebody likes, so nobody waits for it without an end. Thread safety: all members may be called concurrently; of a process's own byte
/// and those that it cleans only under the control lock.
/// </remarks>
internal sealed class ArenaLocks : IDisposable
{
    internal const string Suffix = ".lock";
    private const int ControlByte = ArenaShape.Processes;
    private const int MakingByte = ControlByte + 1;

    private readonly HeldFile _file;
    private readonly Lock _inProcess = new(); // threads that share the handle do not exclude each other by the file's locks
    private readonly TimeSpan _timeout;
    private volatile bool _hasGivenUp;

    /// <summary>Opens the file, or makes it.</summary>
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

    /// <summary>What the system calls the file; 0 where it does not tell.</summary>
    internal long FileNumber => (long)(FileStatus.Of(_file.Handle)?.Number ?? 0);

    /// <summary>Locks out everybody else who opens, closes, binds or cleans; a process that dies meanwhile lets go.</summary>
    /// <exception cref="IOException">Another process has it, and does not go on.</exception>
    internal Control EnterControl() => TryEnterControl(_hasGivenUp ? TimeSpan.Zero : _timeout, out Control control)
        ? control
        : throw HeldUp("opens, closes or cleans");

    /// <inheritdoc cref="EnterControl"/>
    /// <param name="timeout">How long to wait.</param>
    /// <param name="control">The lock.</param>
    /// <returns><see langword="false"/> when another one had it all the time.</returns>
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

    /// <summary>From now on nothing waits for the control lock: the arena is being closed, and others will clean up.</summary>
    internal void GiveUp() => _hasGivenUp = true;

    /// <summary>Locks out others who make, map or remove the arena's file; before the control lock.</summary>
    /// <param name="progress">How far one is who makes it, which may take long: as long as it goes on it is waited for.</param>
    /// <exception cref="IOException">Another process has it, and does not go on.</exception>
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

    /// <summary>Takes a process's byte, if nobody has it: who has it alone may change the slot's state.</summary>
    internal bool TryTakeLocked(int slot) => RangeLock.TryTake(_file.Handle, _file.Path, slot);

    internal void ReleaseLocked(int slot) => RangeLock.Release(_file.Handle, slot);

    /// <summary>Whether another process lives that has a slot, or somebody is cleaning it.</summary>
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

    /// <summary>The control lock, which goes with this.</summary>
    internal readonly ref struct Control(ArenaLocks locks)
    {
        internal bool IsTaken => locks != null;

        public void Dispose() => locks.ExitControl();
    }

    /// <summary>The lock of who makes the file, which goes with this.</summary>
    internal readonly ref struct Making(ArenaLocks locks)
    {
        public void Dispose() => RangeLock.Release(locks._file.Handle, MakingByte);
    }
}
