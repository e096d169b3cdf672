using System;
using System.Text.Json;
using System.Text.Json.Serialization;
using BigPile.Caching;

namespace BigPile.AspNetCore.Tables;

/// <summary>How a table behaves, as a document: what PUT takes, and what the service keeps of it.</summary>
internal sealed record TableSettings
{
    /// <summary>durable or speculative.</summary>
    public string CollisionMode { get; set; } = "durable";

    /// <summary>The entries that the index has room for from the start.</summary>
    public long InitialEntries { get; set; }

    /// <summary>Whether the index keeps that size; for speculative tables.</summary>
    public bool FixedIndex { get; set; }

    /// <summary>The most entries.</summary>
    public long? MaximumEntries { get; set; }

    /// <summary>The most bytes: keys, values and the index together.</summary>
    public long? MaximumBytes { get; set; }

    /// <summary>The time to live of entries that are put without one.</summary>
    public string? DefaultTtl { get; set; }

    /// <summary>The time that each use gives to entries that are put without one.</summary>
    public string? DefaultSliding { get; set; }

    /// <summary>The priority of entries that are put without one.</summary>
    public string DefaultPriority { get; set; } = "normal";

    /// <summary>Whether hits and misses are counted.</summary>
    public bool Statistics { get; set; } = true;

    /// <summary>Kept by the service: the table was dropped.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public bool IsDropped { get; set; }

    internal static TableSettings Of(TableOptions options) => new()
    {
        CollisionMode = options.CollisionMode == Caching.CollisionMode.Durable ? "durable" : "speculative",
        InitialEntries = options.InitialEntries,
        FixedIndex = options.FixedIndex,
        MaximumEntries = options.MaximumEntries,
        MaximumBytes = options.MaximumBytes,
        DefaultTtl = options.DefaultMaxAge is { } age ? Duration.Format(age) : null,
        DefaultSliding = options.DefaultSliding is { } sliding ? Duration.Format(sliding) : null,
        DefaultPriority = Priorities.NameOf(options.DefaultPriority),
        Statistics = options.Statistics,
    };

    /// <summary>Reads a document.</summary>
    /// <exception cref="JsonException">It is none.</exception>
    internal static TableSettings Parse(ReadOnlySpan<byte> document) =>
        document.Trim(" \t\r\n"u8).IsEmpty
            ? new TableSettings()
            : JsonSerializer.Deserialize(document, TableJson.Default.TableSettings) ?? throw new JsonException("It is null.");

    /// <summary>The options that the document states.</summary>
    /// <exception cref="ArgumentException">One is out of its range.</exception>
    internal TableOptions ToOptions(string name)
    {
        var options = new TableOptions(name)
        {
            CollisionMode = ModeOf(CollisionMode),
            InitialEntries = InitialEntries,
            FixedIndex = FixedIndex,
            MaximumEntries = MaximumEntries,
            MaximumBytes = MaximumBytes,
            DefaultMaxAge = TimeOf(nameof(DefaultTtl), DefaultTtl),
            DefaultSliding = TimeOf(nameof(DefaultSliding), DefaultSliding),
            DefaultPriority = Priorities.TryFind(DefaultPriority, out EntryPriority priority)
                ? priority
                : throw new ArgumentException($"defaultPriority is '{DefaultPriority}'; it must be {Priorities.Form}."),
            Statistics = Statistics,
        };
        options.Validate();
        return options;
    }

    private static CollisionMode ModeOf(string name) => name switch
    {
        "durable" => Caching.CollisionMode.Durable,
        "speculative" => Caching.CollisionMode.Speculative,
        _ => throw new ArgumentException($"collisionMode is '{name}'; it must be durable or speculative."),
    };

    private static TimeSpan? TimeOf(string name, string? text)
    {
        if (text == null)
            return null;
        return Duration.TryParse(text, out TimeSpan time)
            ? time
            : throw new ArgumentException($"{JsonNamingPolicy.CamelCase.ConvertName(name)} is '{text}'; it must be {Duration.Form}.");
    }
}
