using System;
using System.Text.Json;
using System.Threading;
using BigPile.Caching.Entries;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>Values in the format of the pile's codec; those that it refuses as JSON, which is told once.</summary>
/// <param name="codec">The first choice.</param>
/// <param name="json">The second one, whose values are bytes.</param>
/// <param name="logger">Hears of the first value that is JSON.</param>
internal sealed class CodecOrJsonFormat<T>(CodecFormat<T> codec, SerializerFormat<T> json, ILogger logger) : ValueFormat<T>
{
    private int _isTold;

    internal override ValueKind Encode(T value, PileBuffer target)
    {
        try
        {
            return codec.Encode(value, target);
        }
        catch (PileSerializationException e)
        {
            target.Clear();
            ValueKind kind = EncodeAsJson(value, target, e);
            if (Interlocked.Exchange(ref _isTold, 1) == 0)
                logger.LogWarning(
                    "Values of type {Type} are cached as JSON, where the pile's codec refuses them: it is slower, and keeps public members "
                    + "of declared types only. {Reason}", typeof(T), e.Message);
            return kind;
        }
    }

    private ValueKind EncodeAsJson(T value, PileBuffer target, PileSerializationException refusal)
    {
        try
        {
            return json.Encode(value, target);
        }
        catch (Exception e) when (e is NotSupportedException or JsonException or InvalidOperationException)
        {
            throw new PileSerializationException($"{refusal.Message} Nor can it be JSON: {e.Message}", refusal);
        }
    }

    internal override T Decode(ValueKind kind, PileBuffer source) =>
        kind == ValueKind.Bytes ? json.Decode(kind, source) : codec.Decode(kind, source);

    internal override void WritePortable(T value, ValueKind kind, PileBuffer encoded, PileBuffer target)
    {
        if (kind == ValueKind.Bytes)
            json.WritePortable(value, kind, encoded, target);
        else
            codec.WritePortable(value, kind, encoded, target);
    }

    internal override T ReadPortable(ValueKind kind, ReadOnlySpan<byte> source) =>
        kind == ValueKind.Bytes ? json.ReadPortable(kind, source) : codec.ReadPortable(kind, source);

    internal override bool TryTake(object? stored, out T value) =>
        stored is byte[] ? json.TryTake(stored, out value) : codec.TryTake(stored, out value);
}
