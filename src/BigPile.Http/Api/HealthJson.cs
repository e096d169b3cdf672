using System.Text.Json.Serialization;

namespace BigPile.Http.Api;

/// <summary>Writes health reports.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(HealthReport))]
internal sealed partial class HealthJson : JsonSerializerContext;
