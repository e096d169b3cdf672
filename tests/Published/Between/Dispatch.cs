using Published.Far;

namespace Published.Between;

public static class Dispatch
{
    public static object MakeParcel(string to) => new Parcel { To = to, Grams = 250 };
}
