using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Ports.Waiting;

/// <summary>Wake events for systems without a futex between processes: a named semaphore for each event.</summary>
/// <remarks>
/// A signal releases as many sleepers as are counted. A waiter that is not asleep yet may lose its turn to a later one, which finds
/// nothing; the first one then sleeps on, at most for the longest sleep. Thread safety: all members may be called concurrently.
/// </remarks>
internal static unsafe class NamedWakeEvents
{
    private const int MostAtOnce = 1024;

    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(1);

    private static readonly Lock ChangeLock = new();
    private static Arena[] _arenas = [];

    /// <summary>Registers the events of a mapping.</summary>
    /// <param name="start">The address of the mapping.</param>
    /// <param name="lengthBytes">Its length in bytes.</param>
    /// <param name="identity">The identifier of the mapped file, equal in all processes.</param>
    internal static void Add(nint start, nuint lengthBytes, string identity)
    {
        lock (ChangeLock)
            Volatile.Write(ref _arenas, [.. _arenas, new Arena(start, (nint)lengthBytes, identity)]);
    }

    /// <summary>Removes the events of a mapping.</summary>
    internal static void Remove(nint start)
    {
        lock (ChangeLock)
        {
            Find(start).Close();
            Volatile.Write(ref _arenas, Array.FindAll(_arenas, arena => arena.Start != start));
        }
    }

    /// <summary>Sleeps while the word has a value, at most for a timeout. The caller checks its condition again.</summary>
    internal static void Sleep(uint* word, uint value, TimeSpan timeout)
    {
        Semaphore semaphore = Find((nint)word).SemaphoreAt((nint)word);
        if (Volatile.Read(ref *word) == value)
            semaphore.WaitOne(timeout < Longest ? timeout : Longest);
    }

    /// <summary>Wakes some sleepers on the word.</summary>
    internal static void Wake(uint* word, int sleepers)
    {
        if (sleepers <= 0)
            return; // a waiter that is about to sleep reads the word first
        try
        {
            Find((nint)word).SemaphoreAt((nint)word).Release(Math.Min(sleepers, MostAtOnce));
        }
        catch (SemaphoreFullException)
        {
            // enough are released already: dead sleepers are still counted
        }
    }

    private static Arena Find(nint address)
    {
        Arena? found = Array.Find(
            Volatile.Read(ref _arenas), arena => address >= arena.Start && address < arena.Start + arena.LengthBytes);
        Debug.Assert(found != null, "An event is in a mapping, which was registered before it was used, and stays until it is unmapped.");
        return found;
    }

    private sealed class Arena(nint start, nint lengthBytes, string identity)
    {
        private readonly ConcurrentDictionary<nint, Semaphore> _semaphores = new();

        internal nint Start => start;

        internal nint LengthBytes => lengthBytes;

        internal Semaphore SemaphoreAt(nint address) => _semaphores.GetOrAdd(
            address, at => new Semaphore(0, MostAtOnce, $@"Local\BigPile-{identity}-{at - start:x}"));

        internal void Close()
        {
            foreach (Semaphore semaphore in _semaphores.Values)
                semaphore.Dispose();
        }
    }
}
