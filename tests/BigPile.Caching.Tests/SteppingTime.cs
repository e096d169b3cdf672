using System;

namespace BigPile.Caching.Tests;

/// <summary>A clock that is advanced and set; its stamps go with the time, or with the clock.</summary>
internal sealed class SteppingTime : TimeProvider
{
    private TimeSpan _passed;
    private TimeSpan _set;

    internal bool HasStamps { get; init; } = true;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => HasStamps ? _passed.Ticks : GetUtcNow().UtcTicks;

    public override DateTimeOffset GetUtcNow() => new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero) + _passed + _set;

    internal void Pass(TimeSpan time) => _passed += time;

    internal void Step(TimeSpan time) => _set += time;
}
