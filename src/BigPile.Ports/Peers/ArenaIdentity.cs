using System;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Ports.Peers;

/// <summary>Tells whether the name of an arena still leads to its file. If not, processes that open it later get another arena.</summary>
/// <remarks>
/// Polled by calls that wait, send or find nothing, at most every 50 ms: a system call each time would cost more than a message. Once
/// removed, an arena stays so. Thread safety: all members may be called concurrently.
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
    /// <param name="file">The opened file.</param>
    internal ArenaIdentity(string name, HeldFile file)
    {
        _name = name;
        _path = file.Path;
        _file = FileStatus.Of(file.Handle); // systems without a file identity do not remove files in use
    }

    internal bool IsRemoved => _isRemoved;

    /// <summary>Checks the name, unless that was done within the period.</summary>
    internal void Poll()
    {
        long now = Environment.TickCount64;
        if (_file is not { } file || now - Volatile.Read(ref _polledAtMs) < PeriodMs)
            return;
        Volatile.Write(ref _polledAtMs, now);
        if (FileStatus.Of(_path)?.IsSameFile(file) != true)
            _isRemoved = true;
    }

    /// <summary>Polls, and throws if the arena was removed.</summary>
    /// <exception cref="ArenaRemovedException">It was removed or replaced.</exception>
    internal void ThrowIfRemoved()
    {
        Poll();
        if (_isRemoved)
        {
            throw new ArenaRemovedException(
                $"The arena '{_name}' was removed or replaced while it was open: others now use another one. Close it, and open it again.");
        }
    }
}
