using System.Text.Json.Serialization;

namespace BigPile.Perf.Runs;

/// <summary>Reads and writes runs, indented: their files lie in repositories, where people look at what changed.</summary>
[JsonSourceGenerationOptions(
    WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true,
    RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(RunFile))]
internal sealed partial class RunJson : JsonSerializerContext;
