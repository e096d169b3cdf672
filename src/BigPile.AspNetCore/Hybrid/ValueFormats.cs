using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Text.Json;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>
/// Finds the format of a type once: the application's serializer for it, of its factories the one added last, or the pile's codec.
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
        pile.Engine.Codecs.Allow([typeof(T)]); // who names it in a call means to store it
        var format = new CodecFormat<T>(pile, buffers);
        return typeof(T) == typeof(string) || typeof(T).IsAssignableFrom(typeof(byte[])) // what is JSON is told by being bytes
            ? format
            : new CodecOrJsonFormat<T>(format, new SerializerFormat<T>(new DefaultJson<T>(JsonOptions<T>()), buffers), warnings);
    }

    // As the application may have registered them for HybridCache's own default.
    private JsonSerializerOptions? JsonOptions<T>()
    {
        var keyed = services as IKeyedServiceProvider;
        return (JsonSerializerOptions?)(keyed?.GetKeyedService(typeof(JsonSerializerOptions), typeof(IHybridCacheSerializer<T>))
            ?? keyed?.GetKeyedService(typeof(JsonSerializerOptions), typeof(IHybridCacheSerializer<>)));
    }

    // Text and bytes need none, and a factory for everything must not get them.
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
