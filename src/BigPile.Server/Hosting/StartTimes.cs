using System;
using System.Diagnostics;

namespace BigPile.Server.Hosting;

/// <summary>The phases of a start, as timestamps of <see cref="Stopwatch"/>.</summary>
/// <param name="Began">When the program began.</param>
/// <param name="Assembled">When the settings were read and the services created.</param>
/// <param name="Listened">When the server listened.</param>
internal readonly record struct StartTimes(long Began, long Assembled, long Listened)
{
    internal double AssemblyMilliseconds => Stopwatch.GetElapsedTime(Began, Assembled).TotalMilliseconds;

    internal double ListeningMilliseconds => Stopwatch.GetElapsedTime(Assembled, Listened).TotalMilliseconds;

    /// <summary>The time from the start of the process until the program began.</summary>
    /// <param name="sinceStart">The time since the start of the process.</param>
    internal double RuntimeMilliseconds(TimeSpan sinceStart) =>
        Math.Max(0, (sinceStart - Stopwatch.GetElapsedTime(Began)).TotalMilliseconds);
}
