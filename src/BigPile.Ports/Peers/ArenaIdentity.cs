using System;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Ports.Peers;

/// <summary>Whether the name of an arena still leads to its file: where not, others meet elsewhere.</summary>
/// <remarks>
/// Who waits looks, and who sends or finds nothing looks now and then: asking the system each time would cost more than a message. Once
/// removed it stays so. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class ArenaIdentity
{
    private const long PeriodMs = 50;

    private readonly string _name;
    private readonly string _path;
    private readonly FileStatus? _file;
    private long _polledAtMs = Environment.TickCount64;
    private volatile bool _isRemoved;

    /// <param name="name">The arena's name.</param>
    /// <param name="file">Its file, as it was opened.</param>
    internal ArenaIdentity(string name, HeldFile file)
    {
        _name = name;
        _path = file.Path;
        _file = FileStatus.Of(file.Handle); // where the system does not tell it removes no file that is in use
    }

    internal bool IsRemoved => _isRemoved;

    /// <summary>Looks, if nobody did for a while.</summary>
    internal void Poll()
    {
        long now = Environment.TickCount64;
        if (_file is not { } file || now - Volatile.Read(ref _polledAtMs) < PeriodMs)
            return;
        Volatile.Write(ref _polledAtMs, now);
        if (FileStatus.Of(_path)?.IsSameFile(file) != true)
            _isRemoved = true;
    }

    /// <summary>Looks, if nobody did for a while.</summary>
    /// <exception cref="ArenaRemovedException">It was removed or replaced.</exception>
    internal void ThrowIfRemoved()
    {
        Poll();
        if (_isRemoved)
        {
            throw new ArenaRemovedException(
                $"The arena '{_name}' was removed or replaced while it was open, and others meet elsewhere. Close it, and open it anew.");
        }
    }
}
