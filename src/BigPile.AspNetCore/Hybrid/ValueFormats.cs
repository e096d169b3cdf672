using System;
using System.Collections.Concurrent;
using System.Linq;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>
/// Finds the format of a type once: the application's serializer for it, of its factories the one added last, or the pile's codec.
/// </summary>
internal sealed class ValueFormats(IServiceProvider? services, BufferPool buffers)
{
    private readonly ConcurrentDictionary<Type, object> _formats = new();

    internal ValueFormat<T> Of<T>(Pile pile) =>
        (ValueFormat<T>)(_formats.TryGetValue(typeof(T), out object? format) ? format : _formats.GetOrAdd(typeof(T), Make<T>(pile)));

    private ValueFormat<T> Make<T>(Pile pile) =>
        FindSerializer<T>() is { } serializer
            ? new SerializerFormat<T>(serializer, buffers)
            : new CodecFormat<T>(pile, buffers);

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
