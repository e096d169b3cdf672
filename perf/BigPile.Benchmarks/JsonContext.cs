using System.Text.Json.Serialization;

namespace BigPile.Benchmarks;

[JsonSerializable(typeof(Person))]
[JsonSerializable(typeof(Order))]
internal sealed partial class JsonContext : JsonSerializerContext;
