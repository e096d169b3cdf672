using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Values;

/// <summary>Codecs that normalize values before writing, for types whose equal values can have different bytes.</summary>
/// <remarks>Readers need no other codec: in a schema these look like the codecs that they wrap.</remarks>
internal static class NormalizedCodecs
{
    /// <summary>The codec that writes a type's normal form; the given one if all its values are in normal form.</summary>
    public static FieldCodec Of(Type type, FieldCodec codec) =>
        type == typeof(decimal) ? new NormalizedCodec<decimal>(codec, static value => Shortest(value))
        : type == typeof(double) ? new NormalizedCodec<double>(codec, static value => double.IsNaN(value) ? double.NaN : value + 0.0)
        : type == typeof(float) ? new NormalizedCodec<float>(codec, static value => float.IsNaN(value) ? float.NaN : value + 0.0f)
        : type == typeof(Half) ? new NormalizedCodec<Half>(codec, static value => Half.IsNaN(value) ? Half.NaN : value + default(Half))
        : type == typeof(DateTimeOffset) ? new NormalizedCodec<DateTimeOffset>(codec, static value => value.ToUniversalTime())
        : codec;

    // Removes trailing zeros and the sign of zero: a decimal quotient has the fewest digits possible.
    private static decimal Shortest(decimal value) => value == 0 ? 0 : value / 1.0000000000000000000000000000m;

    private sealed unsafe class NormalizedCodec<T>(FieldCodec inner, Func<T, T> normalize) : FieldCodec
    {
        public override string? LeafName => inner.LeafName;

        public override int LeastBytes => inner.LeastBytes;

        public override byte* Write(ref byte field, byte* p, WriteContext c)
        {
            T value = normalize(Unsafe.As<byte, T>(ref field));
            Debug.Assert(EqualityComparer<T>.Default.Equals(value, Unsafe.As<byte, T>(ref field)), "A value equals its normal form.");
            return inner.Write(ref Unsafe.As<T, byte>(ref value), p, c);
        }

        public override byte* Read(ref byte field, byte* p, ReadContext c) => inner.Read(ref field, p, c);

        public override void Describe(DefinitionWriter definition) => inner.Describe(definition);
    }
}
