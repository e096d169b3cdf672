using System;
using System.Threading;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Tables;

/// <summary>The tables' time: it stands still until a worker lets it go on, and goes on across kills.</summary>
internal sealed unsafe class JournalTime(Journal journal) : TimeProvider
{
    private static readonly DateTimeOffset FirstDay = new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);

    internal long NowTicks => FirstDay.UtcTicks + Volatile.Read(ref journal.Head->Time);

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow() => new(NowTicks, TimeSpan.Zero);

    public override long GetTimestamp() => NowTicks;

    internal void GoOn(TimeSpan time) => Interlocked.Add(ref journal.Head->Time, time.Ticks);
}
