using System;
using System.Collections.Concurrent;
using System.Threading;

namespace BigPile.Ports.Waiting;

/// <summary>What one sleeps on where there is no futex between processes: a named semaphore for each bell.</summary>
/// <remarks>
/// Who rings lets as many go on as have said that they sleep. One who is not asleep yet may lose his turn to another who comes later: that
/// one finds nothing, and the first one sleeps on, for the longest sleep at most. Thread safety: all members may be called concurrently.
/// </remarks>
internal static unsafe class NamedWakeEvents
{
    private const int MostAtOnce = 1024;

    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(1);

    private static readonly Lock ChangeLock = new();
    private static Arena[] _arenas = [];

    /// <summary>The bells of a mapping are found from now on.</summary>
    /// <param name="start">Where it begins.</param>
    /// <param name="lengthBytes">Its length.</param>
    /// <param name="identity">What the mapped file is called in all processes.</param>
    internal static void Add(nint start, nuint lengthBytes, string identity)
    {
        lock (ChangeLock)
            Volatile.Write(ref _arenas, [.. _arenas, new Arena(start, (nint)lengthBytes, identity)]);
    }

    /// <summary>Forgets the bells of a mapping that goes.</summary>
    internal static void Remove(nint start)
    {
        lock (ChangeLock)
        {
            Find(start).Close();
            Volatile.Write(ref _arenas, Array.FindAll(_arenas, arena => arena.Start != start));
        }
    }

    /// <summary>Sleeps while the word has a value, at most so long. Whoever returns looks again.</summary>
    internal static void Sleep(uint* word, uint value, TimeSpan timeout)
    {
        Semaphore semaphore = Find((nint)word).SemaphoreAt((nint)word);
        if (Volatile.Read(ref *word) == value)
            semaphore.WaitOne(timeout < Longest ? timeout : Longest);
    }

    /// <summary>Wakes some who sleep on the word.</summary>
    internal static void Wake(uint* word, int sleepers)
    {
        if (sleepers <= 0)
            return; // who is about to sleep looks at the word before
        try
        {
            Find((nint)word).SemaphoreAt((nint)word).Release(Math.Min(sleepers, MostAtOnce));
        }
        catch (SemaphoreFullException)
        {
            // as many may go on already: who died asleep is counted still
        }
    }

    private static Arena Find(nint address) => Array.Find(
        Volatile.Read(ref _arenas), arena => address >= arena.Start && address < arena.Start + arena.LengthBytes)!;

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
