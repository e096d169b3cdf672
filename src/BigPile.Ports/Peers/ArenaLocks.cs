using System;
using System.IO;
using System.Threading;
using BigPile.Memory;
using BigPile.Ports.Layout;

namespace BigPile.Ports.Peers;

/// <summary>The lock file of an arena: a byte for each process, and one for what is done by one process at a time.</summary>
/// <remarks>
/// The file is never removed: of two that had the name, each would have an owner. Thread safety: all members may be called concurrently;
/// of a process's own byte and those that it cleans only under the control lock.
/// </remarks>
internal sealed class ArenaLocks : IDisposable
{
    internal const string Suffix = ".lock";
    private const int ControlPlace = ArenaShape.Processes;

    private readonly HeldFile _file;
    private readonly Lock _inProcess = new(); // threads that share the handle do not exclude each other by the file's locks

    internal ArenaLocks(HeldDirectory directory, string name)
    {
        _file = directory.Open(name + Suffix, FileMode.OpenOrCreate, FileAccess.ReadWrite);
        OwnerOnly.Give(_file);
    }

    /// <summary>Locks out everybody else who opens, closes, binds or cleans; a process that dies meanwhile lets go.</summary>
    internal Control EnterControl()
    {
        _inProcess.Enter();
        try
        {
            RangeLock.Take(_file.Handle, _file.Path, ControlPlace);
            return new Control(this);
        }
        catch
        {
            _inProcess.Exit();
            throw;
        }
    }

    /// <summary>Takes a process's byte, if nobody has it: who has it alone may change the slot's state.</summary>
    internal bool TryTakeLocked(int slot) => RangeLock.TryTake(_file.Handle, _file.Path, slot);

    internal void ReleaseLocked(int slot) => RangeLock.Release(_file.Handle, slot);

    /// <summary>Whether another process lives that has a slot, or somebody is cleaning it.</summary>
    internal bool IsHeldByOther(int slot) => RangeLock.IsHeldByOther(_file.Handle, _file.Path, slot);

    public void Dispose() => _file.Dispose();

    private void ExitControl()
    {
        RangeLock.Release(_file.Handle, ControlPlace);
        _inProcess.Exit();
    }

    /// <summary>The control lock, which goes with this.</summary>
    internal readonly ref struct Control(ArenaLocks locks)
    {
        public void Dispose() => locks.ExitControl();
    }
}
