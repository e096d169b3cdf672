using System.Text.Json.Serialization;

namespace BigPile.AspNetCore.Tables;

/// <summary>Reads and writes table settings as JSON. Unknown members are refused rather than ignored.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(TableSettings))]
[JsonSerializable(typeof(KeptSettings))]
internal sealed partial class TableJson : JsonSerializerContext;
