using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using MessagePack;
using MessagePack.Formatters;

namespace BigPile.MessagePackCSharp;

/// <summary>
/// Gives the formatters of another resolver, and has each look first whether the stack has room for it: a cycle, or a graph that is too
/// deep, would end the process. Beside that it knows pointers, by which objects refer to each other.
/// </summary>
/// <remarks>A pointer is its 64 bits. Thread safety: all members may be called concurrently.</remarks>
internal sealed class GuardedResolver(IFormatterResolver inner, int mostDepth) : IFormatterResolver
{
    // A read counts fewer of them than there are formatters one in another. To come back from a full stack would take seconds.
    private const int MostFormattersPerStep = 4;

    // The library's own code writes these without asking for a formatter, and nothing is below them.
    private static readonly HashSet<Type> Leaves =
    [
        typeof(string), typeof(byte[]), typeof(DateTime), typeof(DateTimeOffset), typeof(TimeSpan), typeof(Guid), typeof(decimal),
        typeof(Uri), typeof(Version),
    ];

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

    /// <summary>The formatter that was asked for last: most programs have one codec.</summary>
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
                    $"The graph is a cycle, or has far more than {resolver.MostDepth:N0} objects one in another.");
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

    /// <summary>Refuses types as data.</summary>
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
            new("A Type is no data: a read would load whatever assembly the bytes name. Store its name as text.");
    }

    private sealed class PointerFormatter : IMessagePackFormatter<PilePointer>
    {
        public void Serialize(ref MessagePackWriter writer, PilePointer value, MessagePackSerializerOptions options) =>
            writer.Write(value.ToUInt64());

        public PilePointer Deserialize(ref MessagePackReader reader, MessagePackSerializerOptions options) =>
            PilePointer.FromUInt64(reader.ReadUInt64());
    }
}
