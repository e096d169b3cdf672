using System;
using System.Linq;
using System.Text.Json;
using BigPile.Caching;

namespace BigPile.AspNetCore.Tables;

/// <summary>A table's settings as JSON: the body of PUT, and what the service stores.</summary>
internal record TableSettings
{
    private const string ObjectForm = "It must be an object.";
    private const string OptionPrefix = nameof(TableOptions) + ".";
    private const int MaxQuotedCharacters = 64;

    /// <summary>durable or speculative.</summary>
    public string CollisionMode { get; set; } = "durable";

    /// <summary>The initial capacity of the index, in entries.</summary>
    public long InitialEntries { get; set; }

    /// <summary>Whether the index never grows; for speculative tables.</summary>
    public bool FixedIndex { get; set; }

    /// <summary>The most entries.</summary>
    public long? MaximumEntries { get; set; }

    /// <summary>The most bytes: keys, values and the index together.</summary>
    public long? MaximumBytes { get; set; }

    /// <summary>Whether entries are evicted for others when the pile is full; left out: those of a speculative table are.</summary>
    public bool? GivesWay { get; set; }

    /// <summary>The default time to live of entries.</summary>
    public string? DefaultTtl { get; set; }

    /// <summary>The default sliding expiry of entries.</summary>
    public string? DefaultSliding { get; set; }

    /// <summary>The default priority of entries.</summary>
    public string DefaultPriority { get; set; } = "normal";

    /// <summary>How long shared caches may keep an entry and serve it to anyone; left out: not at all.</summary>
    public string? PublicMaxAge { get; set; }

    /// <summary>The bytes of the window of changes that readers follow; left out: the table has none.</summary>
    public long? FeedBytes { get; set; }

    /// <summary>Whether the window has the values of puts.</summary>
    public bool FeedsValues { get; set; }

    /// <summary>Whether hits and misses are counted.</summary>
    public bool Statistics { get; set; } = true;

    internal static TableSettings Of(TableOptions options) => new()
    {
        CollisionMode = options.CollisionMode == Caching.CollisionMode.Durable ? "durable" : "speculative",
        InitialEntries = options.InitialEntries,
        FixedIndex = options.FixedIndex,
        MaximumEntries = options.MaxEntries,
        MaximumBytes = options.MaxBytes,
        GivesWay = options.GivesWay,
        DefaultTtl = options.DefaultMaxAge is { } age ? Duration.Format(age) : null,
        DefaultSliding = options.DefaultSliding is { } sliding ? Duration.Format(sliding) : null,
        DefaultPriority = Priorities.NameOf(options.DefaultPriority),
        PublicMaxAge = options.PublicMaxAge is { } shared ? Duration.Format(shared) : null,
        FeedBytes = options.FeedBytes,
        FeedsValues = options.FeedsValues,
        Statistics = options.Statistics,
    };

    /// <summary>Parses a document.</summary>
    /// <exception cref="JsonException">The document is not valid.</exception>
    internal static TableSettings Parse(ReadOnlySpan<byte> document)
    {
        if (document.Trim(" \t\r\n"u8).IsEmpty)
            return new TableSettings();
        try
        {
            return JsonSerializer.Deserialize(document, TableJson.Default.TableSettings) ?? throw new JsonException(ObjectForm);
        }
        catch (JsonException e) when (e.InnerException is not JsonException && e.Path is { } path)
        {
            throw new JsonException(Describe(path)); // the serializer's message names types of this program
        }
    }

    private static string Describe(string path)
    {
        string member = path.StartsWith("$.", StringComparison.Ordinal) ? path[2..] : path[1..];
        if (member.Length == 0)
            return ObjectForm;
        string[] known = [.. TableJson.Default.TableSettings.Properties.Select(static property => property.Name)];
        return known.Contains(member, StringComparer.Ordinal)
            ? $"The member '{member}' has a value of another type."
            : $"There is no member '{(member.Length <= MaxQuotedCharacters ? member : member[..MaxQuotedCharacters] + "…")}'. There are "
                + $"{string.Join(", ", known)}.";
    }

    /// <summary>An option error, in the document's terms.</summary>
    internal static string Describe(ArgumentException wrong)
    {
        string text = wrong.Message.Replace($" (Parameter '{wrong.ParamName}')", "", StringComparison.Ordinal);
        if (!text.StartsWith(OptionPrefix, StringComparison.Ordinal))
            return text;
        text = text[OptionPrefix.Length..]
            .Replace(nameof(TableOptions.DefaultMaxAge), nameof(DefaultTtl), StringComparison.Ordinal)
            .Replace(nameof(TableOptions.MaxEntries), nameof(MaximumEntries), StringComparison.Ordinal)
            .Replace(nameof(TableOptions.MaxBytes), nameof(MaximumBytes), StringComparison.Ordinal);
        int end = text.IndexOf(' ', StringComparison.Ordinal);
        return JsonNamingPolicy.CamelCase.ConvertName(text[..end]) + text[end..];
    }

    /// <summary>Converts the document to options.</summary>
    /// <exception cref="ArgumentException">An option is out of range.</exception>
    internal TableOptions ToOptions(string name)
    {
        var options = new TableOptions(name)
        {
            CollisionMode = ModeOf(CollisionMode),
            InitialEntries = InitialEntries,
            FixedIndex = FixedIndex,
            MaxEntries = MaximumEntries,
            MaxBytes = MaximumBytes,
            GivesWay = GivesWay,
            DefaultMaxAge = TimeOf(nameof(DefaultTtl), DefaultTtl),
            DefaultSliding = TimeOf(nameof(DefaultSliding), DefaultSliding),
            DefaultPriority = Priorities.TryFind(DefaultPriority, out EntryPriority priority)
                ? priority
                : throw new ArgumentException($"defaultPriority is '{DefaultPriority}'; it must be {Priorities.Form}."),
            PublicMaxAge = TimeOf(nameof(PublicMaxAge), PublicMaxAge),
            FeedBytes = FeedBytes,
            FeedsValues = FeedsValues,
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
