using System.Text.Json.Serialization;

namespace BigPile.AspNetCore.Tables;

/// <summary>
/// Reads and writes documents of tables. A member that is not known is refused: ignoring it would do something else than was meant.
/// </summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(TableSettings))]
[JsonSerializable(typeof(KeptSettings))]
internal sealed partial class TableJson : JsonSerializerContext;
