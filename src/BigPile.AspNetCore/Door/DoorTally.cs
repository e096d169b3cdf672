namespace BigPile.AspNetCore.Door;

/// <summary>What a connection did since it last added to the counters.</summary>
internal struct DoorTally
{
    internal int Found;
    internal int NotModified;
    internal int NotFound;
}
