using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using MessagePack;
using MessagePack.Formatters;

namespace BigPile.MessagePackCSharp;

/// <summary>
/// Gives the formatters of another resolver, and has them refuse at the write what no read would take: a graph that is too deep, and keys
/// whose hashes may be made to collide. Beside that it knows pointers, by which objects refer to each other.
/// </summary>
/// <remarks>A pointer is its 64 bits. Thread safety: all members may be called concurrently.</remarks>
internal sealed class GuardedResolver(IFormatterResolver others, MessagePackSecurity security) : IFormatterResolver
{
    // The library's own code writes these without asking for a formatter, and nothing is below them.
    private static readonly HashSet<Type> Leaves =
    [
        typeof(string), typeof(byte[]), typeof(DateTime), typeof(DateTimeOffset), typeof(TimeSpan), typeof(Guid), typeof(decimal),
        typeof(Uri), typeof(Version),
    ];

    [ThreadStatic]
    private static int _depth;

    private readonly ConcurrentDictionary<Type, object?> _formatters = new();

    /// <summary>How many objects a graph may have one in another.</summary>
    internal int MostDepth => security.MaximumObjectGraphDepth;

    public IMessagePackFormatter<T>? GetFormatter<T>()
    {
        if (Last<T>.Formatter is { } last && last.Resolver == this)
            return last;
        if (typeof(T).IsPrimitive || typeof(T).IsEnum || Leaves.Contains(typeof(T)))
            return others.GetFormatter<T>();
        var formatter = (IMessagePackFormatter<T>?)_formatters.GetOrAdd(typeof(T), static (_, self) => self.Make<T>(), this);
        if (formatter is Guard<T> guard)
            Volatile.Write(ref Last<T>.Formatter, guard);
        return formatter;
    }

    private object? Make<T>()
    {
        if (typeof(T) == typeof(PilePointer))
            return new PointerFormatter();
        if (typeof(Type).IsAssignableFrom(typeof(T)))
            return new Refusal<T>("A Type is no data: a read would load whatever assembly the bytes name. Store its name as text.");
        if (others.GetFormatter<T>() is not { } formatter)
            return null;
        foreach (Type key in KeysOf(typeof(T)))
        {
            if (!CanBeKey(key))
            {
                return new Refusal<T>(
                    $"{typeof(T)} has keys of type {key}, for which the options' security has no hash that nobody can make collide. Give "
                    + "options whose security has one.");
            }
        }
        return new Guard<T>(this, formatter);
    }

    private static IEnumerable<Type> KeysOf(Type type) =>
        from one in type.GetInterfaces().Append(type)
        where one.IsGenericType
        let form = one.GetGenericTypeDefinition()
        where form == typeof(IDictionary<,>) || form == typeof(IReadOnlyDictionary<,>) || form == typeof(ISet<>)
            || form == typeof(IReadOnlySet<>) || form == typeof(ILookup<,>)
        select one.GetGenericArguments()[0];

    private bool CanBeKey(Type key)
    {
        try
        {
            _ = typeof(MessagePackSecurity).GetMethods()
                .Single(static method => method is { Name: nameof(MessagePackSecurity.GetEqualityComparer), IsGenericMethod: true })
                .MakeGenericMethod(key).Invoke(security, null);
            return true;
        }
        catch (System.Reflection.TargetInvocationException e) when (e.InnerException is TypeAccessException)
        {
            return false;
        }
    }

    /// <summary>The formatter that was asked for last: most programs have one codec.</summary>
    private static class Last<T>
    {
        internal static Guard<T>? Formatter;
    }

    private sealed class Guard<T>(GuardedResolver resolver, IMessagePackFormatter<T> formatter) : IMessagePackFormatter<T>
    {
        internal GuardedResolver Resolver => resolver;

        public void Serialize(ref MessagePackWriter writer, T value, MessagePackSerializerOptions options)
        {
            RuntimeHelpers.EnsureSufficientExecutionStack();
            if (value is null || typeof(T) == typeof(object)) // the formatter of what the object really is counts it
            {
                formatter.Serialize(ref writer, value, options);
                return;
            }
            if (_depth >= resolver.MostDepth)
                throw new MessagePackSerializationException(
                    $"The graph has more than {resolver.MostDepth:N0} objects one in another, which no read would take.");
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

    private sealed class Refusal<T>(string reason) : IMessagePackFormatter<T>
    {
        public void Serialize(ref MessagePackWriter writer, T value, MessagePackSerializerOptions options)
        {
            if (value is not null)
                throw new MessagePackSerializationException(reason);
            writer.WriteNil();
        }

        public T Deserialize(ref MessagePackReader reader, MessagePackSerializerOptions options) =>
            reader.TryReadNil() ? default! : throw new MessagePackSerializationException(reason);
    }

    private sealed class PointerFormatter : IMessagePackFormatter<PilePointer>
    {
        public void Serialize(ref MessagePackWriter writer, PilePointer value, MessagePackSerializerOptions options) =>
            writer.Write(value.ToUInt64());

        public PilePointer Deserialize(ref MessagePackReader reader, MessagePackSerializerOptions options) =>
            PilePointer.FromUInt64(reader.ReadUInt64());
    }
}
