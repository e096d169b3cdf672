using System;
using System.Runtime.CompilerServices;
using BigPile.Codec.Payloads;

namespace BigPile.Tests.Codec;

/// <summary>The two ways in which a codec can run. Every test holds for both.</summary>
/// <remarks>
/// A test that chooses none runs here on generated code from the first object on, and again in a project that compiles the same sources
/// for a runtime without code generation.
/// </remarks>
public enum CodecMode
{
    Interpreted,
    Generated,
}

/// <summary>A codec over a catalog in memory, with the calls that most tests need.</summary>
internal sealed class CodecFixture
{
    private readonly CodecMode _mode;

    static CodecFixture() => AssertionFailures.Watch();

    public CodecFixture(CodecMode mode = CodecMode.Generated, FakeCatalog? catalog = null, PileCodecOptions? options = null)
    {
        _mode = mode;
        Catalog = catalog ?? new FakeCatalog();
        options ??= new PileCodecOptions();
        options.CodeGeneration = mode == CodecMode.Generated && RuntimeFeature.IsDynamicCodeSupported
            ? CodeGeneration.AtOnce
            : CodeGeneration.Never;
        Codec = new MessagePackPileCodec(Catalog, options);
    }

    public FakeCatalog Catalog { get; }

    public MessagePackPileCodec Codec { get; }

    public byte[] Write(object value)
    {
        var buffer = new PileBuffer();
        Write(value, buffer);
        return buffer.WrittenSpan.ToArray();
    }

    public unsafe object Read(ReadOnlySpan<byte> payload)
    {
        var buffer = new PileBuffer();
        payload.CopyTo(new Span<byte>(buffer.Prepare(payload.Length), payload.Length));
        return Read(buffer);
    }

    /// <summary>Writes into a buffer that later writes use again. The buffer is clean afterwards, also after an error.</summary>
    public void Write(object value, PileBuffer buffer)
    {
        AssertionFailures.Forget();
        try
        {
            Codec.Serialize(value, buffer);
        }
        finally
        {
            AssertionFailures.ThrowIfAny();
            MessagePackPileCodec.CheckInvariants(buffer);
        }
    }

    /// <summary>Reads from a buffer that later reads use again. The buffer is clean afterwards, also after an error.</summary>
    public object Read(PileBuffer buffer)
    {
        AssertionFailures.Forget();
        try
        {
            return Codec.Deserialize(buffer);
        }
        finally
        {
            AssertionFailures.ThrowIfAny();
            MessagePackPileCodec.CheckInvariants(buffer);
        }
    }

    /// <summary>Writes and reads a graph by another codec over the same catalog, as after a restart.</summary>
    public T RoundTrip<T>(T value)
        where T : notnull
    {
        object copy = Read(Write(value));
        object afterRestart = new CodecFixture(_mode, Catalog).Read(Write(value));
        Assert.Equal(value.GetType(), afterRestart.GetType());
        Assert.Equal(value.GetType(), copy.GetType());
        return (T)copy;
    }
}
