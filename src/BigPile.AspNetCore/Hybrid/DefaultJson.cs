using System.Buffers;
using System.Text.Json;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>Values as JSON with public fields, like HybridCache's own default.</summary>
/// <param name="options">The application's options, if it has registered any.</param>
internal sealed class DefaultJson<T>(JsonSerializerOptions? options) : IHybridCacheSerializer<T>
{
    private static readonly JsonSerializerOptions WithFields = new() { IncludeFields = true };

    private readonly JsonSerializerOptions _options = options ?? WithFields;

    /// <inheritdoc/>
    public T Deserialize(ReadOnlySequence<byte> source)
    {
        var reader = new Utf8JsonReader(source);
        return JsonSerializer.Deserialize<T>(ref reader, _options)!;
    }

    /// <inheritdoc/>
    public void Serialize(T value, IBufferWriter<byte> target)
    {
        using var writer = new Utf8JsonWriter(target);
        JsonSerializer.Serialize(writer, value, _options);
    }
}
