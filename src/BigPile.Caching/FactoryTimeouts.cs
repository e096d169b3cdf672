using System;

namespace BigPile.Caching;

/// <summary>The time limits that options may have.</summary>
internal static class FactoryTimeouts
{
    /// <summary>The longest finite one.</summary>
    internal static readonly TimeSpan Longest = TimeSpan.FromDays(7);

    /// <summary>The range, for messages.</summary>
    internal static readonly string Range = $"above zero and at most {Longest}";

    /// <summary>The range of a throttle, for messages.</summary>
    internal static readonly string ThrottleRange = $"from zero to {Longest}";

    /// <summary>Whether a throttle may have this time.</summary>
    internal static bool IsThrottle(TimeSpan time) => time >= TimeSpan.Zero && time <= Longest;

    /// <summary>Whether an option may have this time, or none.</summary>
    internal static bool IsValid(TimeSpan? time) => time is not { } some || (some > TimeSpan.Zero && some <= Longest);
}
