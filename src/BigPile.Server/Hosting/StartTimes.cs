using System;
using System.Diagnostics;

namespace BigPile.Server.Hosting;

/// <summary>When a start came how far, as timestamps of <see cref="Stopwatch"/>.</summary>
/// <param name="Began">The program began.</param>
/// <param name="Assembled">The settings were read and the services made.</param>
/// <param name="Listened">The server listened.</param>
internal readonly record struct StartTimes(long Began, long Assembled, long Listened)
{
    internal double AssemblyMilliseconds => Stopwatch.GetElapsedTime(Began, Assembled).TotalMilliseconds;

    internal double ListeningMilliseconds => Stopwatch.GetElapsedTime(Assembled, Listened).TotalMilliseconds;

    /// <summary>What passed from the start of the process until the program began.</summary>
    /// <param name="sinceStart">What has passed by now since the start of the process.</param>
    internal double RuntimeMilliseconds(TimeSpan sinceStart) =>
        Math.Max(0, (sinceStart - Stopwatch.GetElapsedTime(Began)).TotalMilliseconds);
}
