using System.Text.Json.Serialization;

namespace BigPile.Perf.Catalogs;

/// <summary>Reads records.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true, RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(CatalogRecord))]
internal sealed partial class CatalogJson : JsonSerializerContext;
