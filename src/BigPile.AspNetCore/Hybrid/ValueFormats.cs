using System;
using System.Buffers;
using System.Collections.Concurrent;
using System.Linq;
using System.Text.Json;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>
/// Finds and caches the format of a type: the application's serializer for the type, else the serializer factory that was added last, else
/// the pile's codec.
/// </summary>
internal sealed class ValueFormats(IServiceProvider? services, BufferPool buffers, CacheWarnings warnings)
{
    private readonly ConcurrentDictionary<Type, object> _formats = new();

    internal ValueFormat<T> Of<T>(Pile pile) =>
        (ValueFormat<T>)(_formats.TryGetValue(typeof(T), out object? format) ? format : _formats.GetOrAdd(typeof(T), Make<T>(pile)));

    private ValueFormat<T> Make<T>(Pile pile)
    {
        if (FindSerializer<T>() is { } serializer)
            return new SerializerFormat<T>(serializer, buffers);
        pile.Encoding.Allow(typeof(T)); // naming the type in a call is consent to store it
        var format = new CodecFormat<T>(pile, buffers);
        // stored bytes mean JSON, so byte types must not use it
        return typeof(T) == typeof(string) || typeof(T).IsAssignableFrom(typeof(byte[]))
            ? format
            : new CodecOrJsonFormat<T>(format, new SerializerFormat<T>(new DefaultJson<T>(JsonOptions<T>()), buffers), warnings);
    }

    // The keyed options that the application may have registered for HybridCache's own default.
    private JsonSerializerOptions? JsonOptions<T>()
    {
        var keyed = services as IKeyedServiceProvider;
        return (JsonSerializerOptions?)(keyed?.GetKeyedService(typeof(JsonSerializerOptions), typeof(IHybridCacheSerializer<T>))
            ?? keyed?.GetKeyedService(typeof(JsonSerializerOptions), typeof(IHybridCacheSerializer<>)));
    }

    // Text and bytes need no serializer, and a catch-all factory must not get them.
    private IHybridCacheSerializer<T>? FindSerializer<T>()
    {
        if (services?.GetService<IHybridCacheSerializer<T>>() is { } own)
            return own;
        if (services == null || typeof(T) == typeof(string) || typeof(T) == typeof(byte[]))
            return null;
        foreach (IHybridCacheSerializerFactory factory in services.GetServices<IHybridCacheSerializerFactory>().Reverse())
        {
            if (factory.TryCreateSerializer(out IHybridCacheSerializer<T>? made))
                return made;
        }
        return null;
    }
}

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
