using System.Text.Json.Serialization;

namespace BigPile.Perf.Runs.Comparison;

/// <summary>What two runs say of a series.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<Verdict>))]
internal enum Verdict
{
    /// <summary>No change was found, and a loss over the limit is unlikely.</summary>
    [JsonStringEnumMemberName("withinNoise")]
    WithinNoise,

    /// <summary>No change was found, and there may well be a loss over the limit.</summary>
    [JsonStringEnumMemberName("tooNoisyToTell")]
    TooNoisyToTell,

    /// <summary>The second run is better.</summary>
    [JsonStringEnumMemberName("better")]
    Better,

    /// <summary>The second run is worse.</summary>
    [JsonStringEnumMemberName("worse")]
    Worse,

    /// <summary>It is not BigPile's: it says something of the machine.</summary>
    [JsonStringEnumMemberName("control")]
    Control,
}
