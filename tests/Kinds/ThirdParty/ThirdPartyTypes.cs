namespace Kinds.ThirdParty;

public enum Paint : byte
{
    None,
    Red,
    Green,
}

public interface IThirdParty
{
    string Name { get; }
}

public sealed record ThirdPartyPerson(string Name, int Age) : IThirdParty;

public record struct ThirdPartyPoint(int X, int Y);

public sealed class ThirdPartyBox<T>
{
    public T? Content { get; set; }
}

/// <summary>A type that the application allows by its options.</summary>
public sealed record Allowed(string Name, Paint Paint);

/// <summary>A class of a class library, with members of another one.</summary>
public sealed class Product : Kinds.Vendor.Tracked
{
    public string Name { get; set; } = "";

    public Kinds.Vendor.Maker? Maker { get; set; }

    public System.Collections.Generic.Dictionary<string, ThirdPartyPoint[]> Places { get; } = [];
}

/// <summary>A key of a class library.</summary>
public sealed record ProductKey(string Shop, int Number);

/// <summary>What it has of another library is its base class.</summary>
public sealed class Part : Kinds.Vendor.Tracked
{
    public int Number { get; set; }
}

/// <summary>What it has of another library is one private field.</summary>
public sealed class Made(Kinds.Vendor.Maker maker)
{
    public string By => maker.Name;
}

/// <summary>What derives from a class of another library, and has more.</summary>
public sealed record KnownMaker(string Name, int Number) : Kinds.Vendor.Maker(Name);
