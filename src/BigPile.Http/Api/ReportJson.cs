using System.Text.Json.Serialization;

namespace BigPile.Http.Api;

/// <summary>Writes reports.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(AccessReport))]
[JsonSerializable(typeof(TableList))]
[JsonSerializable(typeof(TableReport))]
[JsonSerializable(typeof(StatsReport))]
[JsonSerializable(typeof(MemoryMapReport))]
internal sealed partial class ReportJson : JsonSerializerContext;
