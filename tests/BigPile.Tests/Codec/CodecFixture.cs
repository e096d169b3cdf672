using System;
using System.Threading;
using BigPile.Codec;

namespace BigPile.Tests.Codec;

/// <summary>The two ways in which a codec can run; every case holds for both.</summary>
public enum CodecMode
{
    Interpreted,
    Generated,
}

/// <summary>A codec over a catalog in memory, with the calls that most tests need.</summary>
internal sealed class CodecFixture
{
    /// <summary>Enough uses to make a type hot.</summary>
    private const int WarmUpWrites = 80;

    private readonly CodecMode _mode;

    public CodecFixture(CodecMode mode = CodecMode.Interpreted, FakeCatalog? catalog = null, PileCodecOptions? options = null)
    {
        _mode = mode;
        Catalog = catalog ?? new FakeCatalog();
        options ??= new PileCodecOptions();
        options.MayGenerateCode = mode == CodecMode.Generated;
        Codec = new MessagePackPileCodec(Catalog, options);
    }

    public FakeCatalog Catalog { get; }

    public MessagePackPileCodec Codec { get; }

    public byte[] Write(object value)
    {
        var buffer = new PileBuffer();
        Codec.Serialize(value, buffer);
        return buffer.WrittenSpan.ToArray();
    }

    public unsafe object Read(ReadOnlySpan<byte> payload)
    {
        var buffer = new PileBuffer();
        payload.CopyTo(new Span<byte>(buffer.Prepare(payload.Length), payload.Length));
        return Codec.Deserialize(buffer);
    }

    /// <summary>Writes and reads a graph by another codec over the same catalog, as after a restart; in generated mode by hot code.</summary>
    public T RoundTrip<T>(T value)
        where T : notnull
    {
        if (_mode == CodecMode.Generated)
            MakeHot(value);
        object copy = Read(Write(value));
        object afterRestart = new CodecFixture(_mode, Catalog).Read(Write(value));
        Assert.Equal(value.GetType(), afterRestart.GetType());
        Assert.Equal(value.GetType(), copy.GetType());
        return (T)copy;
    }

    private void MakeHot(object value)
    {
        for (int i = 0; i < WarmUpWrites; i++)
            Write(value);
        if (Codec.Models.ForType(value.GetType()) is FieldsModel model)
            SpinWait.SpinUntil(() => model.IsGenerated, TimeSpan.FromSeconds(10));
    }
}
