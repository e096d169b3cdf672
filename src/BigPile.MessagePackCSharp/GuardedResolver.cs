using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using MessagePack;
using MessagePack.Formatters;

namespace BigPile.MessagePackCSharp;

/// <summary>
/// Wraps the formatters of another resolver, so that each first checks the free stack: a cycle, or a graph that is too deep, would end the
/// process. Adds a formatter for pile pointers, by which objects refer to each other.
/// </summary>
/// <remarks>A pointer is written as its 64 bits. Thread safety: all members may be called concurrently.</remarks>
internal sealed class GuardedResolver(IFormatterResolver inner, int mostDepth) : IFormatterResolver
{
    // The library's depth limit for reads counts fewer steps than there are nested formatters, so the limit for writes is several times
    // that. It is needed beside the check of the stack, since unwinding a full stack would take seconds.
    private const int MostFormattersPerStep = 4;

    // The library writes these types itself, without a formatter, and they hold no other objects.
    private static readonly HashSet<Type> Leaves =
    [
        typeof(string), typeof(byte[]), typeof(DateTime), typeof(DateTimeOffset), typeof(TimeSpan), typeof(Guid), typeof(decimal),
        typeof(Uri), typeof(Version),
    ];

    // How many guarded formatters are running on this thread, one in another.
    [ThreadStatic]
    private static int _depth;

    private readonly long _mostFormatters = (long)mostDepth * MostFormattersPerStep;
    private readonly ConcurrentDictionary<Type, object?> _formatters = new();

    public IMessagePackFormatter<T>? GetFormatter<T>()
    {
        if (LastUsed<T>.Formatter is { } last && last.Resolver == this)
            return last;
        if (typeof(T).IsPrimitive || typeof(T).IsEnum || Leaves.Contains(typeof(T)))
            return inner.GetFormatter<T>();
        var formatter = (IMessagePackFormatter<T>?)_formatters.GetOrAdd(typeof(T), static (_, self) => self.Make<T>(), this);
        if (formatter is Guard<T> guard)
            Volatile.Write(ref LastUsed<T>.Formatter, guard);
        return formatter;
    }

    private int MostDepth => mostDepth;

    private object? Make<T>()
    {
        if (typeof(T) == typeof(PilePointer))
            return new PointerFormatter();
        if (typeof(Type).IsAssignableFrom(typeof(T)))
            return new TypeFormatter<T>();
        return inner.GetFormatter<T>() is { } formatter ? new Guard<T>(this, formatter) : null;
    }

    /// <summary>The formatter used last for a type: a cache, as most programs have one codec.</summary>
    private static class LastUsed<T>
    {
        internal static Guard<T>? Formatter;
    }

    private sealed class Guard<T>(GuardedResolver resolver, IMessagePackFormatter<T> formatter) : IMessagePackFormatter<T>
    {
        internal GuardedResolver Resolver => resolver;

        public void Serialize(ref MessagePackWriter writer, T value, MessagePackSerializerOptions options)
        {
            RuntimeHelpers.EnsureSufficientExecutionStack();
            if (_depth >= resolver._mostFormatters)
            {
                throw new MessagePackSerializationException(
                    $"The graph has a cycle, or is nested far deeper than {resolver.MostDepth:N0} objects.");
            }
            _depth++;
            try
            {
                formatter.Serialize(ref writer, value, options);
            }
            finally
            {
                _depth--;
            }
        }

        public T Deserialize(ref MessagePackReader reader, MessagePackSerializerOptions options)
        {
            RuntimeHelpers.EnsureSufficientExecutionStack();
            return formatter.Deserialize(ref reader, options);
        }
    }

    /// <summary>Refuses values of type <see cref="Type"/>.</summary>
    private sealed class TypeFormatter<T> : IMessagePackFormatter<T>
    {
        public void Serialize(ref MessagePackWriter writer, T value, MessagePackSerializerOptions options)
        {
            if (value is not null)
                throw Refusal();
            writer.WriteNil();
        }

        public T Deserialize(ref MessagePackReader reader, MessagePackSerializerOptions options) =>
            reader.TryReadNil() ? default! : throw Refusal();

        private static MessagePackSerializationException Refusal() =>
            new("A Type is no data: reading it would load any assembly that the payload names. Store its name as text.");
    }

    private sealed class PointerFormatter : IMessagePackFormatter<PilePointer>
    {
        public void Serialize(ref MessagePackWriter writer, PilePointer value, MessagePackSerializerOptions options) =>
            writer.Write(value.ToUInt64());

        public PilePointer Deserialize(ref MessagePackReader reader, MessagePackSerializerOptions options) =>
            PilePointer.FromUInt64(reader.ReadUInt64());
    }
}
