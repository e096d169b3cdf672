using System.Text.Json;
using System.Text.Json.Nodes;

namespace BigPile.Perf.Reports;

/// <summary>A report, or what processes of a load tell each other, as JSON on one line.</summary>
internal static class JsonReport
{
    private static readonly JsonSerializerOptions CamelCase = new() { PropertyNamingPolicy = JsonNamingPolicy.CamelCase };

    internal static string Write<T>(T report) => JsonSerializer.Serialize(report, CamelCase);

    internal static T? Read<T>(string json) => JsonSerializer.Deserialize<T>(json, CamelCase);

    internal static JsonNode ToNode<T>(T report) => JsonSerializer.SerializeToNode(report, CamelCase)!;
}
