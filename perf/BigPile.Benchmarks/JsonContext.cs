using System.Text.Json.Serialization;

namespace BigPile.Benchmarks;

[JsonSerializable(typeof(Person))]
[JsonSerializable(typeof(Order))]
[JsonSerializable(typeof(string[]))]
internal sealed partial class JsonContext : JsonSerializerContext;
