using System.Globalization;

namespace BigPile.Perf.Tables;

/// <summary>Text of 16 characters, made before the load.</summary>
internal readonly struct StringKeys : IKeyKind<string>
{
    private readonly string[] _keys;

    internal StringKeys(int count)
    {
        _keys = new string[count];
        for (int i = 0; i < count; i++)
            _keys[i] = string.Create(CultureInfo.InvariantCulture, $"item-{i:D11}");
    }

    public int KeyBytes => 16;

    public string At(int number) => _keys[number];
}
