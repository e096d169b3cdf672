using System;
using BigPile.Caching.Feed;

namespace BigPile.Caching;

/// <summary>The options of a table.</summary>
/// <remarks>
/// All but <see cref="Name"/>, <see cref="InitialEntries"/> and <see cref="FixedIndex"/> may be changed on a live table, by
/// <see cref="CacheTable.Configure"/>. Thread safety: immutable.
/// </remarks>
/// <param name="Name">The table's name, or <c>"*"</c> for the options of all tables that have none of their own.</param>
public sealed record TableOptions(string Name)
{
    /// <summary>What happens when the bucket of a key is full.</summary>
    public CollisionMode CollisionMode { get; init; } = CollisionMode.Speculative;

    /// <summary>The number of entries that the index is sized for at first; from 0.</summary>
    public long InitialEntries { get; init; }

    /// <summary>
    /// The index keeps the size for <see cref="InitialEntries"/>, rounded up to a power of two of buckets. For speculative tables only.
    /// </summary>
    public bool FixedIndex { get; init; }

    /// <summary>The maximum number of entries; from 1, none by default. Excess entries are evicted.</summary>
    public long? MaxEntries { get; init; }

    /// <summary>
    /// The maximum number of bytes: blocks with keys, values, headers and slack, the index, the window of the feed, and the evictor; from
    /// 1 MiB, none by default. Excess entries are evicted. On a live table it can't be lowered below the size of the index, which does not
    /// shrink.
    /// </summary>
    public long? MaxBytes { get; init; }

    /// <summary>
    /// Whether entries are evicted for others when the pile is full, in proportion to what its tables hold. By default
    /// (<see langword="null"/>) those of a speculative table are, and those of a durable one are not.
    /// </summary>
    /// <remarks>
    /// An entry with <see cref="EntryPriority.NeverEvict"/> stays. The caches of <c>BigPile.AspNetCore</c> have defaults of their own.
    /// </remarks>
    public bool? GivesWay { get; init; }

    /// <summary>The age at which an entry expires that was put without one; above zero, none by default.</summary>
    public TimeSpan? DefaultMaxAge { get; init; }

    /// <summary>The time without a use after which an entry expires that was put without one; above zero, none by default.</summary>
    public TimeSpan? DefaultSliding { get; init; }

    /// <summary>
    /// How long an entry that was put without another time stays behind its expiry, for factories that fail; above zero, none by default.
    /// See <see cref="EntryOptions.FailSafeMaxAge"/>.
    /// </summary>
    public TimeSpan? DefaultFailSafeMaxAge { get; init; }

    /// <inheritdoc cref="EntryOptions.NullMaxAge"/>
    /// <remarks>None by default.</remarks>
    public TimeSpan? NullMaxAge { get; init; }

    /// <inheritdoc cref="EntryOptions.MaxAgeJitter"/>
    /// <remarks>Zero by default.</remarks>
    public TimeSpan MaxAgeJitter { get; init; }

    /// <summary>
    /// Whether a put of a key that is there keeps the lifetime of the present entry; by default it begins a new one. See
    /// <see cref="EntryOptions.KeepsLifetime"/>.
    /// </summary>
    public bool KeepsLifetime { get; init; }

    /// <inheritdoc cref="EntryOptions.FactorySoftTimeout"/>
    /// <remarks>None by default.</remarks>
    public TimeSpan? FactorySoftTimeout { get; init; }

    /// <inheritdoc cref="EntryOptions.FactoryHardTimeout"/>
    /// <remarks>None by default.</remarks>
    public TimeSpan? FactoryHardTimeout { get; init; }

    /// <inheritdoc cref="EntryOptions.FailSafeThrottle"/>
    /// <remarks>30 seconds by default.</remarks>
    public TimeSpan FailSafeThrottle { get; init; } = TimeSpan.FromSeconds(30);

    /// <inheritdoc cref="EntryOptions.EagerRefresh"/>
    /// <remarks>None by default.</remarks>
    public double? EagerRefresh { get; init; }

    /// <summary>
    /// The bytes of the window of changes that readers of <see cref="CacheTable{TKey, TValue}.Changes"/> follow; from 256 KiB to 1 GiB, and
    /// at most half of <see cref="MaxBytes"/>, in which it counts. None by default: there is no feed. On a mapped pile the window is a file
    /// that survives a kill and a stop; one of another size begins anew.
    /// </summary>
    /// <remarks>
    /// A change takes 8 bytes and its key, rounded up to 8; 24 more where an entry goes, and 8 for an expiry and for each tag.
    /// <see cref="TableStatistics.FeedWindow"/> says how long changes stay. A reader that falls behind that is told, and walks again.
    /// </remarks>
    public long? FeedBytes { get; init; }

    /// <summary>
    /// Whether the window has the values of puts, up to 4 KiB each, or 16 KiB in a window from 4 MiB: see
    /// <see cref="ChangeOptions.Values"/>. Without it, a reader that asks for values gets the present ones.
    /// </summary>
    public bool FeedsValues { get; init; }

    /// <summary>The priority of entries that were put without another one.</summary>
    public EntryPriority DefaultPriority { get; init; } = EntryPriority.Normal;

    /// <summary>
    /// How long caches on the way may keep an entry that is served over HTTP, and serve it to anyone, with a key or without: its responses
    /// say <c>public, max-age</c>, never longer than the entry lives. From a second. By default they say <c>private</c>, and
    /// <c>no-cache</c> where the entry does not expire.
    /// </summary>
    public TimeSpan? PublicMaxAge { get; init; }

    /// <summary>Whether hits and misses are counted.</summary>
    public bool Statistics { get; init; } = true;

    /// <summary>The name of the options of all tables that have none of their own.</summary>
    public const string AnyName = "*";

    internal const long MinBytes = 1 << 20;

    /// <summary><see cref="GivesWay"/>, given or by default.</summary>
    internal bool MayGiveWay => GivesWay ?? CollisionMode == CollisionMode.Speculative;

    /// <summary>Refuses options that can't be those of all tables.</summary>
    internal static TableOptions CheckDefaults(TableOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (options.Name != AnyName)
            throw new ArgumentException($"The options of all tables have the name '*', and these have '{options.Name}'.", nameof(options));
        options.Validate();
        return options;
    }

    /// <summary>Throws if an option is out of its range, so that a configuration is refused before a table is made of it.</summary>
    /// <exception cref="ArgumentException">An option is out of its range; the message names it and its range.</exception>
    public void Validate()
    {
        Require(InitialEntries >= 0 && InitialEntries <= 1L << 36, nameof(InitialEntries), InitialEntries, "from 0 to 68,719,476,736");
        Require(MaxEntries is null or >= 1, nameof(MaxEntries), MaxEntries, "at least 1");
        Require(MaxBytes is null or >= MinBytes, nameof(MaxBytes), MaxBytes, $"at least {MinBytes:N0}");
        Require(
            FeedBytes is null or (>= FeedWindow.LeastBytes and <= FeedWindow.MostBytes) && !(FeedBytes > MaxBytes / 2),
            nameof(FeedBytes), FeedBytes, $"from {FeedWindow.LeastBytes:N0} to {FeedWindow.MostBytes:N0}, and at most half of MaxBytes");
        Require(!FeedsValues || FeedBytes != null, nameof(FeedsValues), true, "false without FeedBytes");
        RequireAboveZero(DefaultMaxAge, nameof(DefaultMaxAge));
        RequireAboveZero(DefaultSliding, nameof(DefaultSliding));
        RequireAboveZero(DefaultFailSafeMaxAge, nameof(DefaultFailSafeMaxAge));
        RequireAboveZero(NullMaxAge, nameof(NullMaxAge));
        Require(
            FactoryTimeouts.IsValid(FactorySoftTimeout), nameof(FactorySoftTimeout), FactorySoftTimeout, FactoryTimeouts.Range);
        Require(
            FactoryTimeouts.IsValid(FactoryHardTimeout), nameof(FactoryHardTimeout), FactoryHardTimeout, FactoryTimeouts.Range);
        Require(MaxAgeJitter >= TimeSpan.Zero, nameof(MaxAgeJitter), MaxAgeJitter, "at least zero");
        Require(FactoryTimeouts.IsThrottle(FailSafeThrottle), nameof(FailSafeThrottle), FailSafeThrottle, FactoryTimeouts.ThrottleRange);
        Require(EagerRefresh is null or (> 0 and < 1), nameof(EagerRefresh), EagerRefresh, "above 0 and below 1");
        Require(
            PublicMaxAge is not { } shared || shared >= TimeSpan.FromSeconds(1), nameof(PublicMaxAge), PublicMaxAge, "at least a second");
        Require(
            !FixedIndex || CollisionMode == CollisionMode.Speculative, nameof(FixedIndex), true,
            "false in a durable table, whose index must grow");
        Require(Enum.IsDefined(CollisionMode), nameof(CollisionMode), CollisionMode, "Speculative or Durable");
        Require(Enum.IsDefined(DefaultPriority), nameof(DefaultPriority), DefaultPriority, "Low, Normal, High or NeverEvict");
    }

    private void RequireAboveZero(TimeSpan? time, string option) =>
        Require(time is not { } some || some > TimeSpan.Zero, option, time, "above zero");

    private void Require(bool isRight, string option, object? value, string range)
    {
        if (!isRight)
            throw new ArgumentException($"TableOptions.{option} of the table '{Name}' is {value}; it must be {range}.", "options");
    }
}
