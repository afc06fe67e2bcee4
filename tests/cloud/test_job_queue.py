"""The bounded queue: its order, its bound, and what it forgets."""

from __future__ import annotations

import threading
from concurrent.futures import wait

import pytest

from vedette.cloud.job_queue import JobQueue
from vedette.errors import LinkUnavailableError, OverloadedError


def run_next(queue: JobQueue[int]) -> None:
    job = queue.take()
    assert job is not None
    job.run()


def test_jobs_are_done_in_order() -> None:
    """First in, first out."""
    queue: JobQueue[int] = JobQueue(3)
    futures = [queue.put(lambda number=number: number) for number in range(3)]  # type: ignore[misc]
    for _ in range(3):
        run_next(queue)
    assert [future.result(0) for future in futures] == [0, 1, 2]


@pytest.mark.parametrize("bound", [1, 4])
def test_one_more_than_the_bound_is_refused(bound: int) -> None:
    """At once, and the text says how many wait."""
    queue: JobQueue[int] = JobQueue(bound)
    for _ in range(bound):
        queue.put(lambda: 0)
    with pytest.raises(OverloadedError, match=f"{bound} requests are waiting"):
        queue.put(lambda: 0)
    assert len(queue) == bound


def test_a_job_that_an_idle_thread_will_take_does_not_wait() -> None:
    """So that the length never shows more than the bound, however late the thread wakes up."""
    queue: JobQueue[int] = JobQueue(1)
    lengths: list[int] = []
    wake = queue._changed.notify
    queue._changed.notify = lambda: (lengths.append(len(queue)), wake())  # type: ignore[method-assign]
    thread = threading.Thread(target=run_next, args=(queue,))
    thread.start()
    while not queue._idle_threads:
        pass
    assert queue.put(lambda: 7).result(20.0) == 7
    thread.join()
    assert lengths == [0]


def test_a_cancelled_job_gives_up_its_place() -> None:
    """And is never done."""
    queue: JobQueue[int] = JobQueue(1)
    assert queue.put(lambda: pytest.fail("was done")).cancel()
    assert len(queue) == 0
    kept = queue.put(lambda: 7)
    run_next(queue)
    assert kept.result(0) == 7


def test_a_job_that_is_taken_cannot_be_cancelled() -> None:
    """Its result comes, whoever wants it."""
    queue: JobQueue[int] = JobQueue(1)
    future = queue.put(lambda: 7)
    job = queue.take()
    assert not future.cancel()
    assert job is not None
    job.run()
    assert future.result(0) == 7


def test_errors_go_to_the_future() -> None:
    """Not to the thread that runs the job."""
    queue: JobQueue[int] = JobQueue(1)
    future = queue.put(lambda: 1 // 0)
    run_next(queue)
    assert isinstance(future.exception(0), ZeroDivisionError)


def test_idle_threads_take_jobs_beyond_the_bound() -> None:
    """Only jobs for which no thread is free count: two threads that wait take two more."""
    queue: JobQueue[int] = JobQueue(1)
    threads = [threading.Thread(target=lambda: [job.run() for job in iter(queue.take, None)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    release = threading.Event()
    try:
        futures = []
        for _ in range(3):
            futures.append(queue.put(lambda: int(release.wait(20))))
            while len(futures) <= 2 and not futures[-1].running():
                pass
        with pytest.raises(OverloadedError):
            queue.put(lambda: 0)
        release.set()
        assert not wait(futures, timeout=20).not_done
    finally:
        release.set()
        queue.close()
        for thread in threads:
            thread.join(20)


def test_closing_fails_what_waits_and_refuses_what_comes() -> None:
    """And lets the threads go."""
    queue: JobQueue[int] = JobQueue(1)
    waiting = queue.put(lambda: 0)
    queue.close()
    assert isinstance(waiting.exception(0), LinkUnavailableError)
    assert queue.take() is None
    with pytest.raises(LinkUnavailableError, match="stopping"):
        queue.put(lambda: 0)
