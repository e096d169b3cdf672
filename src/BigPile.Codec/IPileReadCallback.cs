namespace BigPile;

/// <summary>A class whose objects are called back after they were read.</summary>
/// <remarks>
/// No constructor runs when an object is read. So this is where to create state that is not stored, because it is marked
/// <see cref="System.NonSerializedAttribute"/> or is computed from members. A structure can't have the callback: a put refuses it.
/// </remarks>
public interface IPileReadCallback
{
    /// <summary>
    /// Called once for each object that was read, after the whole graph is filled; inner objects before those that hold them.
    /// </summary>
    void OnRead();
}
