using BigPile;
using Kinds.ThirdParty;

namespace Kinds.Own;

public enum Mood
{
    Calm,
    Merry,
}

public interface IOwn
{
    int Id { get; }
}

public sealed record OwnRecord(int Id, string Name, PilePointer Next) : IOwn, IThirdParty;

public sealed class OwnPage<T>
{
    public T? Item { get; set; }

    public int Number { get; set; }
}
